"""The edge that all APIs share: from bytes to a call, from an answer to bytes."""
