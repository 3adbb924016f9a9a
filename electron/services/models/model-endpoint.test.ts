import { describe, expect, it } from 'vitest';
import { ModelEndpoint } from '../../../shared/settings/settings.ts';
import { apiKeyOf, environmentSecrets, findModel } from './model-endpoint.ts';

function endpoint(more: Record<string, unknown> = {}): ModelEndpoint {
  return ModelEndpoint.parse({ name: 'one', base_url: 'http://127.0.0.1:1/v1', model: 'm', ...more });
}

describe('findModel', () => {
  const models = [endpoint({ name: 'one' }), endpoint({ name: 'two' })];

  it('takes the named model before the default one', () => {
    expect(findModel('two', { models, default_model: 'one' }).name).toBe('two');
    expect(findModel('', { models, default_model: 'one' }).name).toBe('one');
  });

  it('takes the only one where no default is set, and chooses none of several', () => {
    expect(findModel('', { models: [endpoint()], default_model: '' }).name).toBe('one');
    const notChosen = expect.objectContaining({ code: 'MODEL_NOT_CHOSEN' });
    expect(() => findModel('', { models, default_model: '' })).toThrow(notChosen);
    expect(() => findModel('', { models: [], default_model: '' })).toThrow(notChosen);
  });

  it.each([
    ['three', 'one', 'three'],
    ['', 'gone', 'gone'],
    ['ONE', '', 'ONE'],
  ])('takes no other model for "%s" with the default "%s"', (name, default_model, missing) => {
    expect(() => findModel(name, { models, default_model })).toThrow(
      expect.objectContaining({ code: 'MODEL_NOT_FOUND', params: { name: missing } }),
    );
  });
});

describe('apiKeyOf', () => {
  it('reads the variable that the endpoint names, without the end of line that files bring along', async () => {
    const one = endpoint({ api_key_env: 'MY_KEY' });
    expect(await apiKeyOf(one, environmentSecrets({ MY_KEY: 'sk-1\n', OTHER: 'x' }))).toBe('sk-1');
  });

  it('asks for no key where none is named', async () => {
    expect(await apiKeyOf(endpoint(), { get: () => Promise.reject(new Error('asked all the same')) })).toBeNull();
  });

  it.each([
    ['is not there', undefined],
    ['is empty', ''],
    ['is blank', ' \n'],
    ['has two lines, which no header can carry', 'sk-1\nsk-2'],
    ['is no key but words', 'my key'],
    ['holds letters that no header can carry', 'sk-密钥'],
  ])('says which variable to set when it %s, and shows nothing of it', async (_, value) => {
    const asked = apiKeyOf(endpoint({ api_key_env: 'MY_KEY' }), environmentSecrets({ MY_KEY: value }));
    await expect(asked).rejects.toMatchObject({
      code: 'MODEL_KEY_MISSING',
      params: { name: 'one', variable: 'MY_KEY' },
      message: 'The model "one" needs a key, and the environment variable MY_KEY holds none.',
    });
  });
});

describe('ModelEndpoint', () => {
  it.each([
    ['an address with a password', { base_url: 'https://me:secret@example.com/v1' }],
    ['an address with a query', { base_url: 'https://example.com/v1?key=secret' }],
    ['an address that is no web address', { base_url: 'file:///etc/passwd' }],
    ['no address', { base_url: '' }],
    ['a key in the place of the name of a variable', { api_key_env: 'sk-secret' }],
    ['a name with a slash', { name: 'a/b' }],
    ['no model', { model: '' }],
    ['half a token', { max_tokens: 0.5 }],
    ['a temperature above 2', { temperature: 2.1 }],
    ['no time', { timeout_seconds: 0 }],
  ])('refuses %s', (_, more) => {
    expect(() => endpoint(more)).toThrow();
  });

  it("needs no address for Anthropic's own", () => {
    expect(endpoint({ provider: 'anthropic', base_url: '' }).base_url).toBe('');
  });
});
