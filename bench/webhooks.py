"""What a webhook delivery costs, beside django-webhook with Celery and a BullMQ worker, and how the queue behaves.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.webhooks` needs .venv-bench and
`npm ci` in bench/peers/bullmq. Ends with status 1 when a target is missed.

How it is kept fair: every subject delivers the same data to the same ten webhooks of the same cheap receiver, from
the same core, one subject after the other, in many rounds that turn the order around. Counted is all CPU time
between "the events are recorded" and "every delivery is recorded as made": the worker's processes, PostgreSQL, and
Redis where it is the queue; not the receiver, and no start-up, as each has worked before. So making deliveries out
of events counts for all: in our worker, in BullMQ's worker, and for django-webhook in the process that saves, which
is where that package does it. After each round the rows must be there. How the peers are set up for the least CPU
is told in their files.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import sending
from bench.queueing import Claims, Promptness, claims, promptness
from bench.receiving import Receiver, receiver
from bench.sending import Subject, lootkeep, peer
from bench.subjects import LOAD_CORES, cpu_seconds, database

# How many times the deliveries per CPU second of each peer.
TARGETS = {"django-webhook + Celery": 20.0, "BullMQ + undici": 4.0}
