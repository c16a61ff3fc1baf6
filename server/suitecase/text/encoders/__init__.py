"""Encoders of text that others wrote, one for each medium.

Suites, answers, results, names of files and errors of programs contain whatever their authors like.
Whatever is printed, logged or written for others to read goes through the encoder of its medium.
"""
