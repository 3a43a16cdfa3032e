"""The one place that imports Ryu. In a process of its own: eventlet changes all of a process."""
