"""Runs whose cases are graded by the workers of a Dask cluster: `suitecase run --cluster`.

The coordinator stays where the run was started: it plans, keeps the limits, and writes the records.
Only modules of this package import Dask.
"""
