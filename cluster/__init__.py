"""The payment saga as a cluster of containers: docs/cluster.md."""
