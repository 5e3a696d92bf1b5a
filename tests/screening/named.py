"""Sentences with every name of a person in them marked by brackets, written by hand to measure a detector by."""

SENTENCES = """
My wife [Maria] is allergic to nuts.
Please ask [Hana Novák] about the invoice.
Dr. [Okonkwo] will call back on Monday.
I met [Sergio Ramírez] in Madrid last May.
Her manager is called [Ingrid].
His brother [Tomasz] lives in Berlin.
The contract was signed by [Elena Petrova].
[John Smith] asked for a refund.
Frau [Schneider] hat angerufen.
Mein Bruder [Klaus] wohnt in Köln.
Meine Chefin heißt [Annegret Vogel].
Ma collègue [Camille] s'occupe du dossier.
Mi hermana [Lucía] vive en Sevilla.
Minha mãe se chama [Teresa].
She reports to [Priya Raman].
The account of [Mohammed al Rashid] is closed.
Our neighbour [Yusuf] has the key.
[Anna] and [Peter] share the account.
Mr. [O'Brien] wants a call.
Prof. [van der Berg] teaches on Tuesday.
My therapist is [Miriam Cohen].
Talk to [Takashi Yamada] before Friday.
Her daughter is named [Chloé].
My friend [Bo] likes tea.
[Jean-Pierre Moreau] booked two rooms.
The package went to [Xiomara].
[Wei] moved the meeting.
We hired [Siobhan Kelly] in March.
Invoices go to [Bartholomew].
Моя сестра [Ольга] живёт в Казани.
I spoke with [Zofia Kowalska] yesterday.
He is married to [Beatriz].
My son [Noah] starts school in September.
Send it to [Kwame Mensah].
[Sarah] prefers email.
Lives in Lisbon with two cats.
Prefers email over phone.
The refund window is 30 days.
Works at Deutsche Bank in Frankfurt.
Uses Google Calendar and Slack.
Orders on Monday arrive by Friday.
Her team meets in Paris in May.
Is allergic to penicillin.
Wants the invoice in German.
Call the Billing Team before noon.
The Customer Support line opens at nine.
Moved from New York to San Francisco.
Studies at Oxford University.
Flies with Turkish Airlines.
Is called every Monday by Sales.
Asked Microsoft Support for help.
Reads The Economist on Sunday.
Runs Ubuntu Linux at home.
Drives a Mercedes since August.
Ask Human Resources about the form.
Speaks Spanish and English.
My manager is on leave.
My doctor is in Porto.
Project Apollo ends in June.
Likes the music of the Beatles.
""".strip().splitlines()
