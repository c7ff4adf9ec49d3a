import { answerFacts } from '../../../kernel/index.ts';
import type { AnswerFact, FactField } from '../../../model/evidence/answer.ts';
import type { Law, Witness } from './law.ts';

/**
 * A judge releases only sentences that are not provable and that it supports. None of them cites a text of an outsider,
 * an effect or a hidden field. The released text is the composed one.
 */
export function judgedSentences({ scenario }: Witness): Law {
  const { env } = scenario.pins;
  return {
    name: 'judged sentences',
    event: ({ before, event }) => {
      if (event.type !== 'sentence_released' || event.released_by !== 'judge') return null;
      const { answer } = before.ending;
      const named = `sentence ${event.index}`;
      const sentence = answer?.sentences[event.index];
      if (env.limits.answerJudgeCost === null) return `${named} was released by a judge that the agent does not have`;
      if (answer?.rulings[event.index]?.ruling !== 'not_provable')
        return `${named} was released by a judge, but its ruling is not not_provable`;
      if (!answer.verdicts?.some(({ index, supported }) => index === event.index && supported))
        return `${named} was released although the judge does not support it`;
      if (sentence === undefined || sentence.text !== event.text) return `${named} is not the one that was judged`;
      const facts = answerFacts(env, before);
      const closed = sentence.cites.find((cite) => isClosed(facts, cite));
      if (sentence.cites.length > 0 && closed === undefined) return null;
      return `${named} rests on ${closed === undefined ? 'nothing' : `${closed.ref} ${closed.pointer}`}`;
    },
  };
}

/** Whether a judge may not rule on a field. It shares no code with the release check, whose mistakes it should find. */
function isClosed(facts: readonly AnswerFact[], { ref, pointer }: FactField): boolean {
  const fact = facts.find((one) => one.ref === ref);
  if (fact === undefined || fact.effect !== false) return true;
  const cited = pointer.split('/');
  return [...(fact.hidden ?? []), ...(fact.untrusted ?? [])].some((mark) => {
    const marked = mark.split('/');
    return cited.every((key, place) => marked[place] === undefined || marked[place] === key);
  });
}
