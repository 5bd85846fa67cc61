"""Solvers that run on any backend, and what they return."""

from .result import SolveResult, Status, Trajectory

__all__ = ["SolveResult", "Status", "Trajectory"]
