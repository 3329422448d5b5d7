"""Where do the days go? The program office: figures over histories, forecasts, saved views, files."""
