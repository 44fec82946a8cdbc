"""Vector clocks in few bytes, on the wire and as the header of a message. What clocks mean is in
`choreomon.core.vector_clock`.
"""
