import { Context } from '@temporalio/activity';

const ATTEMPT_DIGITS = 6;

/** The fence of the running attempt: that of its activity, then its number. */
export const attemptFence = (fence: string): string =>
  `${fence}/${String(Context.current().info.attempt).padStart(ATTEMPT_DIGITS, '0')}`;
