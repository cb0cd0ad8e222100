import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type {
  BatchesSearch,
  EpisodesSearch,
  IntegritySearch,
  LeaderboardSearch,
  PresentSearch,
  RunSearch,
  RunsSearch,
  SearchSearch,
  SqlSearch,
} from './pages.js';

interface Searches {
  '/batches': BatchesSearch;
  '/episodes': EpisodesSearch;
  '/integrity': IntegritySearch;
  '/leaderboard': LeaderboardSearch;
  '/runs': RunsSearch;
  '/runs/$id': RunSearch;
  '/runs/$id/present': PresentSearch;
  '/search': SearchSearch;
  '/sql': SqlSearch;
}

/** Undefined removes a parameter. */
export type Change<Path extends keyof Searches> = (
  more: { [Name in keyof Searches[Path]]?: Searches[Path][Name] | undefined },
  replace?: boolean,
) => void;

export function useChange<Path extends keyof Searches>(from: Path): Change<Path> {
  const navigate = useNavigate({ from });
  return useCallback(
    (more, replace = false) => void navigate({ search: (now: object) => ({ ...now, ...more }), replace } as never),
    [navigate],
  );
}
