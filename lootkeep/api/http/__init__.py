"""The edge that all APIs share: from bytes to a call, from a reply to bytes."""
