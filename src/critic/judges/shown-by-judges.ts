import type { PanelCase } from '../../model/judge.ts';
import type { Rubric } from '../../model/rubric.ts';
import type { Criterion, EvidenceByType } from '../evaluator.ts';
import { GOAL_PREFIX, type Opinion } from './read-opinion.ts';
import { quorumOf, ruleOnPanel, tooFarApart } from './rule-on-panel.ts';

const NOTHING: EvidenceByType = Object.freeze({});

/**
 * Criteria of the goal that no type of evidence stands for, as far as the judges find them met: enough of them, not too
 * far apart, and not one below what is accepted. The evidence is the answer in which it is said.
 */
export function shownByJudges(
  rubric: Rubric,
  criteria: readonly Criterion[],
  panel: PanelCase | undefined,
): EvidenceByType {
  if (panel === undefined || rubric.judges === undefined) return NOTHING;
  const { judges: rule, accept } = rubric;
  const { opinions } = ruleOnPanel({ ...rule, accept }, panel);
  const ids = new Set(panel.asked.flatMap((asked) => asked.criteria.filter((id) => id.startsWith(GOAL_PREFIX))));
  const shown: [string, string][] = [];
  for (const id of ids) {
    const asked = panel.asked.filter((judge) => judge.criteria.includes(id)).length;
    const [first, ...others] = opinions.filter((opinion) => opinion.criteria.has(id));
    if (first === undefined || 1 + others.length < quorumOf(rule, asked)) continue;
    const scores = [first, ...others].map((opinion) => scoreOf(opinion, id));
    if (Math.min(...scores) < accept || tooFarApart(rule, scores)) continue;
    const criterion = criteria[Number(id.slice(GOAL_PREFIX.length))];
    if (criterion !== undefined) shown.push([criterion.id, first.response ?? first.judge]);
  }
  return shown.length === 0 ? NOTHING : Object.fromEntries(shown);
}

const scoreOf = ({ criteria }: Opinion, id: string): number => criteria.get(id) ?? 0;
