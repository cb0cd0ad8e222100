create view overall_leaderboard_entries as select * from leaderboard_scores();

comment on view overall_leaderboard_entries is 'As leaderboard_entries, over all batches.';
