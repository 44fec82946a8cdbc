"""Small changes to what decides and what keeps, one at a time: do the tests notice?"""
