import { canonicalize } from '../model/canonical.ts';
import { NO_COST } from '../model/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Answer, Dispatch } from './call-tool.ts';
import type { KeptAnswers, KeptName } from './limits/kept-answers.ts';

const nameOf = ({ call, run }: Dispatch): KeptName => ({
  tenantId: run.tenantId,
  actor: run.actor,
  tool: call.tool,
  argsHash: call.args_hash,
});

/** Keeps a good answer in line; what lies beside the journal, or has not the shape of its tool, is not kept. */
export function keepAnswer(kept: KeptAnswers, dispatch: Dispatch, { event, blobs }: Answer, clock: Clock): void {
  const { keep, call, run } = dispatch;
  if (keep === undefined || event.type !== 'step_observed' || event.outcome !== 'ok' || blobs.length > 0) return;
  const { raw } = event;
  if (!keep.fits(raw)) return;
  const now = clock.nowMs();
  const from = { run_id: run.runId, call_id: call.call_id, trusted: keep.trusted };
  kept.set(nameOf(dispatch), { ...from, raw, at: now, until: now + keep.forMs, size: canonicalize(raw).length });
}

/** The answer that was kept, as an observation that says what it is. Nothing is sent. */
export function answerFrom(kept: KeptAnswers, dispatch: Dispatch, now: number): Answer {
  const { call } = dispatch;
  const observed = { type: 'step_observed', call_id: call.call_id, spent: NO_COST } as const;
  const found = kept.get(nameOf(dispatch), now);
  if (found === null) {
    const detail = `${call.tool} is not there, and no answer of it is kept that is young enough`;
    return { event: { ...observed, outcome: 'error', raw: null, detail }, blobs: [] };
  }
  const { run_id, call_id, trusted, raw, at } = found;
  const cached = { run_id, call_id, trusted, age_ms: Math.max(0, now - at) };
  const detail = `${call.tool} is not there: this is what it answered ${cached.age_ms} ms ago to ${call_id} of ${run_id}`;
  return { event: { ...observed, outcome: 'ok', raw, detail, cached }, blobs: [] };
}
