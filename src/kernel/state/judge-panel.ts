import type { AskedJudge, JudgeAnswer, PanelCase } from '../../model/critic/judge.ts';
import type { EffectOf } from '../../model/events/effect.ts';

/** The model judges of the current case and their answers. */
export interface Panel {
  /** The step id; null if the panel judges the whole run. */
  readonly about: string | null;
  readonly asked: readonly AskedJudge[];
  /** This is the second panel, of stronger or stricter judges, because the first was not reliable. */
  readonly safer: boolean;
  /** Null until the judges have answered. */
  readonly answers: readonly JudgeAnswer[] | null;
}

/** The panel's answers for the Critic; null if no panel has answered about this case. */
export function panelCase(panel: Panel | null, about: string | null): PanelCase | null {
  if (panel === null || panel.about !== about || panel.answers === null) return null;
  return { asked: panel.asked, answers: panel.answers };
}

export function askEffect({ about, asked, safer }: Panel): EffectOf<'ask_judges'> {
  return { kind: 'ask_judges', about, asked, safer };
}
