"""Requirement and catalogue to the logical answer: resolved parameters and closed-form sizing."""
