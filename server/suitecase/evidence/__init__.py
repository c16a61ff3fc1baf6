"""What lies beside a suite and speaks for it: labels, calibrations, locks, sources."""
