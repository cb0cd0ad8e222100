"""Edit is_prime, then run `validate`."""


def is_prime(number):
    return number % 2 == 1
