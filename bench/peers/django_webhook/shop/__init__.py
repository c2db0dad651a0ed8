"""The shop whose events the peer sends."""
