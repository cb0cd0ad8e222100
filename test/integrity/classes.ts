import type { Exploit } from './exploit.js';
import { guessing, leaking } from './exploits/choices.js';
import {
  carryingOver,
  listening,
  misleadingTheProxy,
  rememberingCheckpoints,
  speaking,
} from './exploits/hidden-data.js';
import { endingItself, failingTheEvaluator } from './exploits/own-harm.js';
import { slowing } from './exploits/yardstick.js';

/** Ways in which the product was once beaten (README.md). Lines of other homes: forged-lines.ts. */
export const CLASSES: Record<string, Exploit[]> = {
  "the machine's figures, heard by a daemon": listening,
  'a hidden split that has leaked': leaking,
  'draws that come again': carryingOver,
  'rejections that tell': speaking,
  'the yardstick, slowed': slowing,
  'checkpoints that know of one another': rememberingCheckpoints,
  'the luckiest of many guesses': guessing,
  'the evaluator, made to fail': failingTheEvaluator,
  'its own run, made void': endingItself,
  'what runs share: the way out': misleadingTheProxy,
};
