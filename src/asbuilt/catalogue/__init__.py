"""Hardware facts: parts with figures, each with unit, source, confidence and origin."""
