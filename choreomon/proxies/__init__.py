"""Proxies that ask the agent before they let a request of the service, or for it, pass: what their
questions mean, and the server that answers them. Events are told by the tools of a service
(`choreomon.sdk`), and nothing is decided about them here.
"""
