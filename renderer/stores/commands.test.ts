import { describe, expect, test } from 'vitest';
import { keyCaps, matchesKeys } from './commands.ts';

function pressed(key: string, more: Partial<KeyboardEvent> = {}) {
  return { key, code: '', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more };
}

describe('keys', () => {
  test.each([
    ['mod+K', pressed('k', { ctrlKey: true }), false, true],
    ['mod+K', pressed('k', { metaKey: true }), false, false],
    ['mod+K', pressed('k', { metaKey: true }), true, true],
    ['mod+K', pressed('k', { ctrlKey: true }), true, false],
    ['mod+K', pressed('K', { ctrlKey: true, shiftKey: true }), false, false],
    ['mod+Shift+P', pressed('P', { ctrlKey: true, shiftKey: true }), false, true],
    ['mod+Shift+P', pressed('p', { ctrlKey: true }), false, false],
    ['K', pressed('k'), false, true],
    ['K', pressed('k', { altKey: true }), false, false],
    // A sign needs Shift on one keyboard and none on another.
    ['?', pressed('?', { shiftKey: true }), false, true],
    ['?', pressed('?'), false, true],
    // Behind another layout or Option the letter is another one; the key itself is not.
    ['alt+L', pressed('¬', { altKey: true, code: 'KeyL' }), false, true],
    ['mod+1', pressed('&', { ctrlKey: true, code: 'Digit1' }), false, true],
    ['+', pressed('+', { shiftKey: true }), false, true],
    ['mod++', pressed('+', { ctrlKey: true, shiftKey: true }), false, true],
  ])('%s is pressed or not as it stands, on each system', (keys, event, mac, answer) => {
    expect(matchesKeys(event, keys, mac)).toBe(answer);
  });

  test('are written as they stand on the keyboard', () => {
    expect(keyCaps('mod+Shift+P', false)).toEqual(['Ctrl', 'Shift', 'P']);
    expect(keyCaps('mod+Shift+P', true)).toEqual(['⌘', '⇧', 'P']);
    expect(keyCaps('mod++', false)).toEqual(['Ctrl', '+']);
  });
});
