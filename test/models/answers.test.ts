/** Model answers through the real provider packages over real HTTP, in both wire formats, in one piece and streamed. */
import { describe, expect, test } from 'vitest';
import { ANSWER_LENGTH_MAX } from '../../src/ports/model/language-model.ts';
import { ANSWER_MODES, ASKING, answered, failed, line, PROMPT, SCHEMA } from './wires.ts';

describe.for(ANSWER_MODES)('%s, %s', ([wire, mode]) => {
  const streaming = mode === 'streaming';

  test('returns a text with its usage and its model', async () => {
    const { ask, server } = await line(wire, [{ text: 'Do this, then that.', model: 'served-2' }]);
    expect(answered(await ask(PROMPT, { streaming, temperature: 0.3 }))).toEqual({
      text: 'Do this, then that.',
      finish: 'stop',
      usage: { input_tokens: 100, output_tokens: 50 },
      model: 'served-2',
    });
    const [request] = server.requests;
    expect(request).toMatchObject({ wire, streaming, body: { max_tokens: 500, temperature: 0.3 } });
    expect(JSON.stringify(request?.body)).toContain('You plan.');
    expect(JSON.stringify(request?.body)).toContain('Tell me more.');
  });

  test('returns JSON that the provider constrains to the schema', async () => {
    const { ask, server } = await line(wire, [{ json: { answer: 'yes' } }]);
    const { text, finish } = answered(await ask(ASKING, { streaming }));
    expect(JSON.parse(text)).toEqual({ answer: 'yes' });
    expect(finish).toBe('stop');
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"additionalProperties":false');
  });

  test('returns JSON of a model that only sees the schema in its prompt', async () => {
    const { ask, server } = await line(wire, ['Sure!\n```json\n{"answer":"yes"}\n```']);
    const { text } = answered(await ask(ASKING, { streaming, structured: false }));
    expect(text).toContain('{"answer":"yes"}');
    const [request] = server.requests;
    expect(request?.body).not.toHaveProperty('response_format');
    expect(request?.body).not.toHaveProperty('tools');
    expect(JSON.stringify(request?.body)).toContain(JSON.stringify(JSON.stringify(SCHEMA)).slice(1, -1));
  });

  test('returns an answer that does not fit the schema unchanged, because the caller validates it', async () => {
    const { ask } = await line(wire, [{ json: { anser: 7 } }]);
    expect(JSON.parse(answered(await ask(ASKING, { streaming })).text)).toEqual({ anser: 7 });
  });

  test('returns broken JSON as text', async () => {
    const { ask } = await line(wire, ['{"answer": "ye']);
    expect(answered(await ask(ASKING, { streaming, structured: false })).text).toBe('{"answer": "ye');
  });

  test('drops tool calls from an answer and makes none', async () => {
    const calls = [{ tool: 'delete_everything', args: { really: true } }];
    const { ask, server } = await line(wire, [{ text: 'Wait.', calls }]);
    expect(answered(await ask(PROMPT, { streaming }))).toMatchObject({ text: 'Wait.', finish: 'other' });
    expect(server.requests).toHaveLength(1);
  });

  test('drops reasoning from an answer', async () => {
    const { ask } = await line(wire, [{ reasoning: 'Hmm, secretly.', text: 'Aloud.' }]);
    expect(answered(await ask(PROMPT, { streaming })).text).toBe('Aloud.');
  });

  test('marks a refusal', async () => {
    const { ask } = await line(wire, [{ text: 'I would rather not.', finish: 'refusal' }]);
    expect(answered(await ask(PROMPT, { streaming })).finish).toBe('refusal');
  });

  test('marks an answer that was cut off', async () => {
    const { ask } = await line(wire, [{ text: 'And then we', finish: 'length' }]);
    expect(answered(await ask(PROMPT, { streaming }))).toMatchObject({ text: 'And then we', finish: 'length' });
  });

  test('keeps every character of every script, however the network splits the text', async () => {
    const text = 'Größe 漢字 — 👩‍👩‍👧 🏳️‍🌈 \u202eabc עברית ਪੰਜਾਬੀ \u0000 ﷽';
    const { ask, server } = await line(wire, [text]);
    const prompt = { ...PROMPT, messages: [{ author: 'user' as const, text }] };
    expect(answered(await ask(prompt, { streaming })).text).toBe(text);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('漢字');
  });

  test('returns megabytes of text, also beyond the limit that the caller enforces', async () => {
    const { ask } = await line(wire, ['x'.repeat(1_900_000), 'x'.repeat(ANSWER_LENGTH_MAX + 500_000)]);
    expect(answered(await ask(PROMPT, { streaming })).text).toHaveLength(1_900_000);
    expect(answered(await ask(PROMPT, { streaming })).text.length).toBeGreaterThan(ANSWER_LENGTH_MAX);
  });

  test('handles a provider that reports no usage', async () => {
    const { ask } = await line(wire, [{ text: 'Fine.', usage: null }]);
    const generated = await ask(PROMPT, { streaming });
    // Anthropic's package requires the usage and rejects an answer without it.
    if (wire === 'openai') expect(answered(generated).usage).toBeNull();
    else expect(failed(generated)).toMatchObject({ usage: { input_tokens: null, output_tokens: null } });
  });
});

test('puts the schema into the prompt if the package drops it', async () => {
  const { ask, server } = await line('openai', [{ json: { answer: 'yes' } }], false);
  answered(await ask(ASKING));
  expect(server.requests[0]?.body).not.toHaveProperty('response_format');
  expect(JSON.stringify(server.requests[0]?.body)).toContain('fits this JSON Schema');
});

test("sends each provider's key in its header", async () => {
  const openai = await line('openai', ['a']);
  await openai.ask();
  expect(openai.server.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer key-o' },
  });
  const anthropic = await line('anthropic', ['a']);
  await anthropic.ask();
  expect(anthropic.server.requests[0]).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': 'key-a' } });
});
