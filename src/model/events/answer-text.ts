import { type ReleasedSentence, sentenceSeparator } from '../evidence/answer.ts';
import type { Stop, TerminalCode } from '../fault/terminal-code.ts';
import type { SessionStatus } from '../run/session-status.ts';
import type { RunEvent } from './event.ts';

/**
 * Returns a reader for the events of one run, in order: the piece of the answer that an event releases, or null. Each
 * sentence of a composed answer is released on its own. An answer without a composer may be compiled again, or withheld
 * for a reviewer, so only the end of the run releases it.
 */
export function answerTextReader(): (event: RunEvent) => string | null {
  let compiled: string | null = null;
  let last: ReleasedSentence | undefined;
  return (event) => {
    if (event.type === 'response_compiled') compiled = event.text;
    if (event.type === 'sentence_released' && event.text !== '') {
      const piece = `${sentenceSeparator(last, event)}${event.text}`;
      last = event;
      return piece;
    }
    const isReleased = event.type === 'run_terminated' && event.status === 'completed' && last === undefined;
    return isReleased ? (compiled ?? greetingIn(event)) : null;
  };
}

/** The part of an outcome that completes the text of a run. */
export interface EndedRun {
  readonly status: SessionStatus;
  readonly terminalCode: TerminalCode | null;
  readonly text: string | null;
}

/**
 * The last piece of the text of a run that ended without an answer, or in the middle of one: how it ended, in words. Null
 * if the run goes on, or if its answer is complete.
 */
export function endingPiece(released: string, { status, terminalCode, text }: EndedRun): string | null {
  if (terminalCode === null || text === null || text === released) return null;
  if (released === '') return text;
  return status === 'completed' ? null : `\n\n${text}`;
}

/** The answer of a run that ended at intake, because its message was only a greeting. */
export function greetingIn({ detail }: Pick<Stop, 'detail'>): string | null {
  const text = detail?.['text'];
  return typeof text === 'string' ? text : null;
}
