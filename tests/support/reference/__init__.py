"""What the product answers to many questions, recorded and compared: a change of the code's structure changes none.

`make reference` records the answers of the code as it is, and `make reference-check` compares later ones with these.
"""
