"""What does a provider's schema say? Its resources as nodes, as Kubernetes resources, as requests, and against another.

Pure functions: plain Python without Django.
"""
