import type { EffectOf } from '../../model/effect.ts';
import type { AskedJudge, JudgeAnswer, PanelCase } from '../../model/judge.ts';

/** Who was asked about the case at hand, and what they said. */
export interface Panel {
  /** The step; null for the run as a whole. */
  readonly about: string | null;
  readonly asked: readonly AskedJudge[];
  /** The stronger or stricter ones are asked, because nobody could rely on the first. */
  readonly safer: boolean;
  /** Null until they have answered. */
  readonly answers: readonly JudgeAnswer[] | null;
}

/** What the Critic is shown of it; null where nobody was asked about this case. */
export function panelCase(panel: Panel | null, about: string | null): PanelCase | null {
  if (panel === null || panel.about !== about || panel.answers === null) return null;
  return { asked: panel.asked, answers: panel.answers };
}

export function askEffect({ about, asked, safer }: Panel): EffectOf<'ask_judges'> {
  return { kind: 'ask_judges', about, asked, safer };
}
