import { type ScriptedAnswer, sentence } from '../../scripted-answer.ts';

export const QUESTION = 'When is the range of the tides greatest?';
/** The passage that the script cites. */
export const CITED: { readonly page_id: string; readonly quote: string } = {
  page_id: 'tides-2',
  quote: 'at new and full moon, their pulls add up: the range is greatest',
};

/** The scripted answer. It attributes the quoted words to the page, because the library is untrusted. */
export const RESEARCH_ANSWER: ScriptedAnswer = {
  id: 'example-research',
  request: QUESTION,
  facts: [{ ref: 'ev_4', tool: 'library.cite', value: CITED, untrusted: ['/quote'] }],
  drafts: [[sentence(`Page ${CITED.page_id} says: "${CITED.quote}."`, 'ev_4', '/page_id', '/quote')]],
};
