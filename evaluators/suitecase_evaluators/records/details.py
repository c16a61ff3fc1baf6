"""Names of details that say what is doubtful in a grade: graders write them, and readers ask."""

#: The detail of a score that lay outside 0..1, as it was given, and was taken to the nearest.
GIVEN_SCORE = "given_score"
#: The detail that says that the judge's reply holds another verdict, which differs.
AMBIGUOUS_REPLY = "ambiguous_reply"
