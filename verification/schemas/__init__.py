"""Provider schemas as nodes, as Kubernetes resources, as requests, and compared with other versions.

Pure functions: plain Python without Django.
"""
