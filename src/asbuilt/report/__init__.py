"""Documents to HTML, text and JSON."""
