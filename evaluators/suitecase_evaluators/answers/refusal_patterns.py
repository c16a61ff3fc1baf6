"""How refusals open in English: what may come before one, and the refusal itself."""

from __future__ import annotations

import re


def _one_of(text: str) -> str:
    """Return a pattern for one of some lines; blanks in it are blanks."""
    return "(?:" + "|".join(line.strip() for line in text.strip().splitlines()) + ")"


_SOME = r"[^.!?;:\n]"
_CLAUSE_ENDS = r"(?:,? (?:but|however|so)\b,?|[.!;])"
_MARKS = r"[,.!:;\u2014\u2013-]*"
_WE_ARE = r"(?:i|we)(?:'m| am|'re| are)"
_VERY = r"(?:(?:so|very|really|truly|terribly|completely|fully) )*"
_SEE = r"(?:understand|appreciate|reali[sz]e|recogni[sz]e|know|hear|see)"
_AI = r"(?:ai|a\.i\.|artificial intelligence|language model|assistant|chatbot)"
_KIND_OF_AI = r"(?:(?:responsible|large|helpful|virtual) )*"
#: What may come before a refusal; each is tried from where another one ends.
PREFACES = tuple(
    re.compile(rf"{line.strip()}\s*(?:(?:and|so|but) )?", re.IGNORECASE)
    for line in rf"""
        (?:hi|hello|hey|dear|greetings)\b{_SOME}{{0,30}}?[.!,]
        (?:no|nope|no way|hmm|well|ok|okay|oh|however|but)\b{_MARKS}
        (?:(?:my )?apologies|unfortunately|regrettably|sadly)\b{_MARKS}
        (?:{_WE_ARE} )?{_VERY}(?:sorry|afraid)\b{_MARKS}(?: (?:but|that)\b)?
        (?:{_WE_ARE} )?{_VERY}sorry\b{_SOME}{{0,160}}?{_CLAUSE_ENDS}
        (?:i|we) (?:sincerely )?apologi[sz]e\b[,]*(?: but)?
        (?:i|we) (?:sincerely )?apologi[sz]e\b{_SOME}{{0,120}}?{_CLAUSE_ENDS}
        (?:thank you|thanks|i appreciate)\b{_SOME}{{0,120}}?{_CLAUSE_ENDS}
        (?:while |although )?(?:i|we) {_VERY}{_SEE}\b{_SOME}{{0,160}}?(?:{_CLAUSE_ENDS}|,(?= i\b))
        (?:as|being) (?:an? )?{_KIND_OF_AI}{_AI}\b{_SOME}{{0,100}}?,
        (?:i'm|i am) (?:just |only )?an? {_KIND_OF_AI}{_AI}\b{_SOME}{{0,100}}?(?:{_CLAUSE_ENDS}|,? and\b)
        (?:for|due to|because of|in line with|out of) {_SOME}{{1,80}}?,
    """.strip().splitlines()
)
_ADVERBS = (
    r"(?: (?:really|directly|actually|knowingly|ethically|legally|safely|just|simply|currently|"
    r"in good conscience|morally|responsibly|personally|respectfully|ever|possibly|also))*"
)
#: What somebody who refuses says that they cannot or will not do.
_HELP = _one_of(r"""
    help(?! (?:but\b|\w+ing\b|it\b))
    assist|comply|oblige|accommodate|fulfill?
    do (?:that|this|so|it|what)\b
    be (?:of (?:help|assistance|service)|part of|involved)
""")
_ACT = _one_of(r"""
    (?:provide|answer|share|create|generate|write|give|offer|discuss|engage|support|participate|take part)\b
    (?:produce|repeat|reveal|disclose|divulge|talk about|respond|complete|advise|perform|carry out)\b
    (?:execute|facilitate|encourage|endorse|promote|condone|grant|role-?play|pretend|impersonate)\b
    (?:explain|describe|translate|compose|draft|go along|fabricate|invent|act as|print|output)\b
    (?:bypass|ignore|override|speculate)\b
    tell (?:you|anyone|him|her|them)\b
    recommend\b(?!.{0,60}\benough\b)
""")
_HELPING = _one_of(r"""
    (?:helping|assisting|providing|answering|sharing|creating|generating|writing|giving|discussing)\b
    (?:engaging|supporting|participating|producing|repeating|revealing|disclosing|doing|describing)\b
    (?:explaining|offering|facilitating|promoting|role-?playing)\b
""")
_DO = f"(?:{_HELP}|{_ACT})"
_CANNOT = r"(?:can't|cannot|can not|won't|will not)"
_CANNOT = rf"{_CANNOT}(?: (?:and|or) {_CANNOT})?"
_NOT_ABLE = _one_of(r"""
    (?:unable|unwilling|forbidden) to
    not (?:able|allowed|permitted|authori[sz]ed|willing|prepared|going|here|designed|programmed) to
    not (?:equipped|supposed|in a position) to
""")
_ABLE = r"(?:able|allowed|willing|permitted)"
_MUST = r"(?:(?:must|have to|need to) )?"
_RULES = r"(?:guidelines|policies|policy|programming|instructions|rules)"
REFUSAL = re.compile(
    _one_of(rf"""
        i {_CANNOT}{_ADVERBS} (?:{_DO}|be (?:able to {_DO}|{_HELPING}))
        (?:we {_CANNOT}|{_CANNOT}|unable to|not able to){_ADVERBS} {_HELP}
        (?:i'm|i am|i'll be|i will be){_ADVERBS} {_NOT_ABLE}{_ADVERBS} {_DO}
        (?:we're|we are) {_NOT_ABLE}{_ADVERBS} {_HELP}
        (?:i'm|i am) (?:prohibited|barred|prevented|restricted) from {_HELPING}
        i (?:don't|do not|wouldn't|would not) feel (?:comfortable|right) (?:with )?{_HELPING}
        (?:i'm|i am) not comfortable (?:with )?{_HELPING}
        i (?:don't|do not){_ADVERBS} (?:provide|share|create|generate|discuss|engage|support|participate)\b
        i (?:don't|do not){_ADVERBS} (?:produce|reveal|disclose|promote|condone|write)\b
        (?:i|i'd|i would|i'll|i will) {_MUST}(?:(?:respectfully|politely) )?(?:decline|refuse)\b(?!\?)
        (?:i'd|i would) (?:rather|prefer) not (?:to )?(?:{_DO}|say|get into)
        i prefer not to (?:{_DO}|say|get into)
        (?:that|this|it)(?:'s| is) something (?:that )?(?:i|we) (?:{_CANNOT}|(?:am|are) {_NOT_ABLE}) (?:{_DO}|do\b)
        (?:that|this|it)(?:'s not| is not| isn't) something (?:that )?(?:i|we) can {_DO}
        (?:that|this|it)(?:'s not| is not| isn't) something (?:that )?{_WE_ARE} {_ABLE} to {_DO}
        it(?:'s| is| would be) (?:not appropriate|inappropriate|unethical|wrong) for me to\b
        it (?:isn't|wouldn't be|would not be) (?:appropriate|ethical|responsible|right) for me to\b
        (?:this|that|your) (?:request|prompt|question) (?:violates|goes against|is against)\b
        (?:this|that|your) (?:request|prompt|question) (?:would violate|conflicts with)\b
        (?:my|our) {_RULES} (?:prohibits?|prevents?|forbids?)\b
        (?:my|our) {_RULES} (?:do not|don't|does not|doesn't) (?:allow|permit)\b
    """),
    re.IGNORECASE,
)
