"""Counters and histograms for Prometheus in shared memory: each process writes to its part, all read sums."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterator
from ctypes import Array, c_byte
from itertools import accumulate
from typing import NamedTuple

import structlog
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

log = structlog.get_logger(__name__)

# The size for one process. All routes with ten statuses each take less than half of it.
PART_BYTES = 512 * 1024
# The header of a part: when its process started, in seconds, and how many bytes are in use. The records follow.
_HEAD_BYTES = 16
# The header of a record: the length of its name and how many numbers follow.
_RECORD = struct.Struct("=II")
_NUMBER_BYTES = 8
_SEPARATOR = "\n"


class Metric(NamedTuple):
    """A metric: with `bounds` it counts values per bucket, without them it counts occurrences."""

    name: str
    help: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()


class Counter:
    __slots__ = ("_numbers",)

    def __init__(self, numbers: memoryview[float]) -> None:
        self._numbers = numbers

    def inc(self) -> None:
        self._numbers[0] += 1


class Histogram:
    """A number for each bound, one for values above them, and the sum of all values."""

    __slots__ = ("_bounds", "_numbers")

    def __init__(self, numbers: memoryview[float], bounds: tuple[float, ...]) -> None:
        self._numbers = numbers
        self._bounds = bounds

    def observe(self, value: float) -> None:
        numbers = self._numbers
        numbers[bisect_left(self._bounds, value)] += 1
        numbers[-1] += value


class Counts:
    """The counts of one process, and the sums over all parts of the memory.

    Only one thread of one process writes to a part, so nothing is locked. A process that replaces another continues
    with its part, so no sum ever falls. Records have names, so processes need not agree on positions.
    """

    def __init__(self, memory: Array[c_byte] | bytearray | None = None, part: int = 0) -> None:
        memory = bytearray(PART_BYTES) if memory is None else memory
        self._parts = _parts(memory)
        self._part = self._parts[part]
        self._metrics: dict[str, Metric] = {}
        self._series = dict(_records(self._part))

    def declare(self, *metrics: Metric) -> None:
        """Shows metrics from the start, even before anything was counted."""
        self._metrics |= {metric.name: metric for metric in metrics}

    def counter(self, metric: Metric, *labels: str) -> Counter:
        return Counter(self._numbers(metric, labels, 1))

    def histogram(self, metric: Metric, *labels: str) -> Histogram:
        return Histogram(self._numbers(metric, labels, len(metric.bounds) + 2), metric.bounds)

    def mark_started(self, seconds: float) -> None:
        _head(self._part)[0] = seconds

    def started(self) -> list[float]:
        """When each running process was started."""
        return [seconds for part in self._parts if (seconds := _head(part)[0])]

    def collect(self) -> Iterator[CounterMetricFamily | HistogramMetricFamily]:
        sums: dict[str, list[float]] = {}
        for part in self._parts:
            for name, numbers in _records(part):
                before = sums.get(name)
                sums[name] = [a + b for a, b in zip(before, numbers, strict=True)] if before else list(numbers)
        families = {name: _family(metric) for name, metric in self._metrics.items()}
        for name, added in sorted(sums.items()):
            of, *labels = name.split(_SEPARATOR)
            family = families.get(of)
            if isinstance(family, HistogramMetricFamily):
                bounds = (*map(str, self._metrics[of].bounds), "+Inf")
                buckets = list(zip(bounds, accumulate(added[:-1]), strict=True))
                family.add_metric(labels, buckets, added[-1])
            elif family:
                family.add_metric(labels, added[0])
        yield from families.values()

    def _numbers(self, metric: Metric, labels: tuple[str, ...], count: int) -> memoryview[float]:
        self.declare(metric)
        name = _SEPARATOR.join((metric.name, *labels))
        if name not in self._series:
            self._series[name] = _add(self._part, name, count)
        return self._series[name]


def mark_ended(memory: Array[c_byte], part: int) -> None:
    """Call it when a process has ended: its counts stay."""
    _head(_parts(memory)[part])[0] = 0


def _parts(memory: Array[c_byte] | bytearray) -> list[memoryview]:
    view = memoryview(memory).cast("B")
    return [view[start : start + PART_BYTES] for start in range(0, len(view), PART_BYTES)]


def _head(part: memoryview) -> memoryview[float]:
    return part[:_HEAD_BYTES].cast("d")


def _records(part: memoryview) -> Iterator[tuple[str, memoryview[float]]]:
    at = _HEAD_BYTES
    end = at + int(_head(part)[1])
    while at < end:
        length, count = _RECORD.unpack_from(part, at)
        if not count:
            # Processors may show the new length of a part before the record that was added.
            return
        numbers = at + _RECORD.size + length
        at = numbers + count * _NUMBER_BYTES
        name = bytes(part[numbers - length : numbers]).rstrip(b"\0").decode()
        yield name, part[numbers:at].cast("d")


def _add(part: memoryview, name: str, count: int) -> memoryview[float]:
    """The numbers of a new record, which readers see once it is complete."""
    encoded = name.encode()
    encoded += bytes(-len(encoded) % _NUMBER_BYTES)
    record = _RECORD.pack(len(encoded), count) + encoded + bytes(count * _NUMBER_BYTES)
    used = int(_head(part)[1])
    start, end = _HEAD_BYTES + used, _HEAD_BYTES + used + len(record)
    if end > len(part):
        log.error("there is no room to count this", name=name)
        return memoryview(bytearray(count * _NUMBER_BYTES)).cast("d")
    part[start:end] = record
    _head(part)[1] = used + len(record)
    return part[end - count * _NUMBER_BYTES : end].cast("d")


def _family(metric: Metric) -> CounterMetricFamily | HistogramMetricFamily:
    make = HistogramMetricFamily if metric.bounds else CounterMetricFamily
    return make(metric.name, metric.help, labels=metric.labels)
