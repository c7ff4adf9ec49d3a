import { contextPointer, hasReadUntrusted, type RunState } from '../../kernel/index.ts';
import { SOURCE_MODEL } from '../../model/evidence/origin.ts';
import { historyKey } from '../../model/evidence/visible-context.ts';
import type { ThreadPart } from '../../model/run/thread.ts';

/** The history of a run without the messages that a compression dropped. Their digest comes first. */
export function withDigest(state: RunState, history: readonly ThreadPart[]): readonly ThreadPart[] {
  const { demoted = [], digest = '' } = state.planning.compressed ?? {};
  const gone = new Set(demoted);
  const kept = history.filter((_, place) => !gone.has(contextPointer(historyKey(place))));
  return kept.length === history.length || digest === '' ? kept : [digestOf(state, digest), ...kept];
}

/**
 * A compressor reads the complete context, so its digest is as trusted as the least trusted text in it. Excerpts quote
 * only messages, and an untrusted message marks the run as exposed.
 */
function digestOf(state: RunState, text: string): ThreadPart {
  const isExcerpts = state.planning.compressed?.excerpts === true;
  return {
    run_id: state.id.runId,
    at: state.now,
    by: 'digest',
    text,
    trusted: isExcerpts ? !state.planning.exposed : !hasReadUntrusted(state),
    sources: isExcerpts ? [] : [SOURCE_MODEL],
  };
}
