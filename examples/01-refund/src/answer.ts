import type { RunOutcome } from 'ambit';
import type { RunEvent } from 'ambit/records';
import { bad, bold, dim, good, indented, MARGIN } from './layout.ts';

type Released = RunOutcome['sentences'][number];

/** A released sentence with a mark that says how it was released. */
export function releasedLines(text: string, { form, fields }: Pick<Released, 'form' | 'fields'>): readonly string[] {
  const places = fields.map(({ ref, pointer }) => `${ref}${pointer}`).join(', ');
  const mark =
    form === 'composed'
      ? `${good('✓ proven')} ${dim(`by ${places}`)}`
      : `stated from ${dim(places)}, without the model`;
  return [`answer     ${bold(text.trim())}`, `${MARGIN}${mark}`];
}

/** Describes the drafts of one answer, and the sentences that the check does not release. */
export function draftDescriber(): (event: RunEvent) => readonly string[] {
  let draft: readonly string[] = [];
  return (event) => {
    if (event.type === 'answer_composed') {
      draft = event.sentences.map(({ text }) => text);
      return event.attempt === 1
        ? [`model      writes ${draft.length} sentences; each is checked against the facts that it cites`]
        : ['model      gets the reason and writes that sentence again'];
    }
    if (event.type !== 'sentences_ruled') return [];
    const proven = event.rulings.filter(({ ruling }) => ruling === 'proven').length;
    const unproven = event.rulings.flatMap(({ ruling, reason }, at) =>
      ruling === 'proven'
        ? []
        : [`${MARGIN}${bad(`✗ ${ruling.replace('_', ' ')}`)} "${draft[at]}"`, indented(`  because ${reason}`)],
    );
    return [`check      ${proven} of ${event.rulings.length} proven`, ...unproven];
  };
}
