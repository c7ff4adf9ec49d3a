import type { RunOutcome } from 'ambit';
import { draftDescriber, releasedLines } from './answer.ts';
import { eventDescriber } from './events.ts';
import { indented } from './layout.ts';
import { QUESTION, questionRequest } from './request.ts';
import { replayed, type Stage } from './stage.ts';

/** The first act: a customer asks a question with two parts and gets an answer, sentence by sentence. */
export async function askQuestion(stage: Stage): Promise<RunOutcome> {
  const { runtime, say, title } = stage;
  title(`A customer asks: "${QUESTION}"`);
  const run = runtime.start('accounts', questionRequest);
  const text = run.text[Symbol.asyncIterator]();
  const describe = eventDescriber();
  const describeDraft = draftDescriber();
  for await (const { event } of run.events) {
    if (event.type === 'sentence_released') say(...releasedLines(String((await text.next()).value), event));
    else say(...describe(event), ...describeDraft(event));
    if (event.type === 'sentences_ruled' && event.attempt === 1)
      say(indented('  (the script has this wrong number on purpose; the customer never sees the sentence)'));
  }
  const outcome = await run.settled;
  await replayed(stage, outcome);
  return outcome;
}
