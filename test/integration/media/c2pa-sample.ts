import { gunzipSync } from 'node:zlib';

/**
 * The content of a `uuid` box as `@trustnxt/c2pa-ts` 0.9.4 writes it, signed by a certificate of `O=Example Studio,
 * CN=signer.example`; compressed.
 */
export const c2paContent = (): Buffer => gunzipSync(Buffer.from(sample.join(''), 'base64'));

const sample = [
  'H4sIAAAAAAACA+3dX0xTVxwH8Hvb0ipDlIAFwnSdyMbEltvSlj+TuRD+dJEHh3OAf3C3t/e2t+ttu3tvaxcSA46MZJuY/f/D',
  'XIiIydRF9rAHHEydJCY4RH0gvIwwjUo0yzbHRpYB272lCoJve9nD95M0t+ec3znnd37n9rljcxdGc1JdW977uCG//cBgK6EQ',
  '6CDPsZJMLOBG/BHBrXxZrzw9jC1ME2nEmhaCOEGUdL6mjXcoUV8momrmo4SHoyJisCwS4T1l7iKGZRwUZy6yFdvNdoaymd3O',
  'UqeZYlmOcXM04yhxKKuQKxPLPTO/HC0t29RCSxIrynwoKKlpjiUmFMQnuEPi8gk+WvJZ3ALHWaJF6pQeNayP0PnZGBOISOpK',
  'b/QRGjYWpmUfW6jm6/HQMt2qdHIhjpNYeQUbpQMRdvvYktr1EeT9aZz8enhRU+BEmqEDXk7y0TaH06Mm0WB6/PLZ7LYtPw0Z',
  'mbeunX66t9k1fue7jI8mnq9pe7nHOT3l9wRpgaV9SiF2Jc61cb4QTGD5uZgAzQtq0SzzBzIs2s/PByWZDjLsC5V8TAiX8cod',
  'WHmJ9wZpOSKysWyJDXC56h5ceXyxB0Oh+LL7vGyQFWk5JEbUYbMsFVKWUovdXMK4i0spTl4StY8PciG1YPETeBNzvFFWVOsr',
  'PDSX9zBlXEgUaJmP8h42VCiE7f6FW1VXYSJiILZ5aY4LMYXLLjZR4ILKK6de6TMZrId+y/2rPqNi9CWf0T/l+H20p+lSf3Uy',
  'SxDMdKKy+YnKPuIVe1AMJYy5qFb3WlujRq8kRj6V9WRrI/k3dZCcVj5fdGk1pEaTkXZ8ljTe2NTEDTafbxLt5FfZJQ4qWb9i',
  '05uuy+U6rYbaan2MWqnX7tTp0zWVVdZMaq3aSE5JrYrRQjjAmnbIEQ8fuj+gTUlVc2BFCzs/Tq3PXGVzWq02B0VRToralbmq',
  'SG3aEs3/vkEjla43xPPVkInEtaRBW0Ho5MnTRw+eqrcdbrjZXtXavLPp2YncZLtxY+OQq7b74ofugReHp/L7J6sL3rnV5ap9',
  'bvxqeLT76p6OT9ek97mvh8qPdseoKLVO2XVdqs6oy5iYy6o7V3u9eObe2R/vXvk6eXZgRKKeUIdzdVmUseXRAavVgHSS/EeX',
  'RGmVB5WqdqxWO5T6GlqU7JV2ni5FLXuBnkxKMmh1i69AW0NQlRpT9Nbgq7dTxj84YR2qt8zMXvgk75uQb8Pbc3/kXNrR+dnY',
  'cSXiTOZwd1JvFuccHuj/ZffhM3s3xIKRn1PSHDNrsyZvjCg/ciZMexppmgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAPi/+7OhWv3PhrxO2/6bLRObG/a067oDHa7oyWMV5+9u3b772A/3ava/e0Rjqjt54Ptte4OG',
  'DOu224c+r+/tau7Y+uu3uXV3TDlHvOK59/8F9AKzivRmAAA=',
];
