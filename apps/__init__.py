"""The rooms of the product, each a Django app.

Data flows from traces through extraction and curation to facts and recall. Imports go the other way, in one
straight order: an app may import any app below it in this list, never one above or beside it.

api | console > privacy > exchange > dreaming > extraction > curation > recall > facts > traces > access >
tenancy > audit > screening > inference > core
"""
