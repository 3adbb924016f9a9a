import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const petrol: MantineColorsTuple = [
  '#e8f5f6',
  '#d0e9eb',
  '#a3d4d8',
  '#73bec4',
  '#4ba9b1',
  '#2c939c',
  '#147a84',
  '#0c6a73',
  '#0a5860',
  '#07434a',
];

const gray: MantineColorsTuple = [
  '#f7f8f8',
  '#eff2f2',
  '#e3e8e8',
  '#d2d9da',
  '#b6c0c2',
  '#8b979b',
  '#647176',
  '#4b565b',
  '#333c40',
  '#1e2528',
];

const dark: MantineColorsTuple = [
  '#d9dfe1',
  '#b9c2c5',
  '#98a4a8',
  '#717d82',
  '#3c464a',
  '#313a3e',
  '#262e31',
  '#1d2427',
  '#161b1d',
  '#101415',
];

/** The look of the whole window: dense but airy, 13 px controls, one accent, quiet greys. */
export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 6 },
  colors: { petrol, gray, dark },
  black: '#1a2124',
  fontFamily:
    '"Inter", "Segoe UI Variable Text", "Segoe UI", system-ui, -apple-system, "Helvetica Neue", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace:
    '"JetBrains Mono", "Cascadia Code", "SF Mono", ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.1875rem', lineHeight: '1.35' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.45' },
    },
  },
  fontSizes: { xs: '0.8125rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'md' } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    TagsInput: { defaultProps: { size: 'xs' } },
    Switch: { defaultProps: { size: 'sm' } },
    Tabs: { styles: { tab: { fontSize: 'var(--mantine-font-size-xs)', paddingBlock: '0.5rem' } } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    InputWrapper: {
      styles: {
        description: { fontSize: 'var(--s-font-meta)' },
        error: { fontSize: 'var(--s-font-meta)' },
      },
    },
    // Without its placeholder the first item has the focus, and a menu holds nothing but items.
    Menu: { defaultProps: { shadow: 'md', radius: 'md', withInitialFocusPlaceholder: false } },
    Tooltip: {
      defaultProps: {
        openDelay: 350,
        withArrow: true,
        arrowSize: 6,
        events: { hover: true, focus: true, touch: false },
      },
    },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        overlayProps: { backgroundOpacity: 0.4 },
        transitionProps: { duration: 120 },
      },
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.25 }, transitionProps: { duration: 120 } } },
  },
});

/** Mantine's own surface variables, taken from the tokens of `tokens.css`. */
export const cssVariables: CSSVariablesResolver = () => {
  const surfaces = {
    '--mantine-color-body': 'var(--s-surface)',
    '--mantine-color-text': 'var(--s-text)',
    '--mantine-color-dimmed': 'var(--s-text-dim)',
    '--mantine-color-default': 'var(--s-control)',
    '--mantine-color-default-hover': 'var(--s-hover)',
    '--mantine-color-default-border': 'var(--s-border-strong)',
    '--mantine-color-placeholder': 'var(--s-text-faint)',
    '--mantine-color-error': 'var(--s-bad)',
    '--mantine-color-anchor': 'var(--s-accent)',
  };
  const danger = {
    '--mantine-color-red-light': 'var(--s-bad-soft)',
    '--mantine-color-red-light-hover': 'color-mix(in srgb, var(--s-bad) 18%, var(--s-surface))',
    '--mantine-color-red-light-color': 'var(--s-bad)',
  };
  return {
    variables: {},
    light: {
      ...surfaces,
      ...danger,
      '--mantine-color-red-filled': '#b3261e',
      '--mantine-color-red-filled-hover': '#951f18',
    },
    dark: {
      ...surfaces,
      ...danger,
      '--mantine-color-red-filled': '#b13a32',
      '--mantine-color-red-filled-hover': '#c2463d',
    },
  };
};
