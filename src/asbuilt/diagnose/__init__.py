"""Verdicts to findings: root causes, smallest repair, next step."""
