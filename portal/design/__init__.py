"""What is the design made of? Colours with their contrasts, measures, and every component in light and in dark."""
