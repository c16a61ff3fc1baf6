import sys

sys.stdout.write('{"score": 1}\n')
