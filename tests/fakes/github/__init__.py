"""GitHub on loopback: a stateful third-party emulator behind a thin proxy."""
