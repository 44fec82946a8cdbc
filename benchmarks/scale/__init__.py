"""What monitoring costs in systems of up to thousands of processes, in virtual time.

python -m benchmarks.scale [--processes N,N,...] [--owners M,M,...] [--seed S]
                           [--estimate N] [--clock-bytes B,B,...] [-o FOLDER]

workloads   systems of any size, and what is monitored in them
measuring   one run, and everything that it cost
estimate    what an agent of a larger system would have to do
page        all of it as a page and a picture
"""
