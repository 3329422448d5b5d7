"""Benchmarks: ratios measured in one run on one server. Never part of the tests."""
