"""Suites are begun, converted, labeled, calibrated and published."""
