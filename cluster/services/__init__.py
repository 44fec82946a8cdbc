"""The five services of the payment saga, as a user of choreomon might write them."""
