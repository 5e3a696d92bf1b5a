"""The words of seven languages in which an order to an assistant is given, one file a language, by what they mean.

Read in small letters, without accents on Latin letters, Arabic with plain alef, ya and ha. A word list carries no
judgement: `injection.RULES` says which meanings together make an order.
"""
