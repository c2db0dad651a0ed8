"""The ten endpoints that `bench.api` measures, in idiomatic FastAPI, pydantic, async SQLAlchemy ORM and uvicorn."""
