/**
 * Self-signed, for receiver.example and other.example, valid from 2020 to 2120. Proves nothing to
 * anybody; used by tests only.
 */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBhTCCASugAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBByZWNlaXZl
ci5leGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw
FwYDVQQDDBByZWNlaXZlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEPROZyuKOpqTMpXYRtc7simVPGln7Z4r9ywEXsQd6S/YRjqJJyqOoCUODtqu1
GR07sqAbgsMyu3nbzz0+zPJtZqNeMFwwDwYDVR0TAQH/BAUwAwEB/zAqBgNVHREE
IzAhghByZWNlaXZlci5leGFtcGxlgg1vdGhlci5leGFtcGxlMB0GA1UdDgQWBBSV
l+fMQyR8qPlBXG0zah6s+17lszAKBggqhkjOPQQDAgNIADBFAiEAzlJ2/xVA1oDL
C2DRnQXtxuIoMI3VROSSXBQZoj0OdqYCIC+SVqp5Q2/BZTk0fp20p05qRgnh3WME
3s9vU91FjJo4
-----END CERTIFICATE-----
`;

export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwcNH08qI9hUsI+3t
O507t0f+CimLUWNHicTQR+xvicWhRANCAAQ9E5nK4o6mpMyldhG1zuyKZU8aWftn
iv3LARexB3pL9hGOoknKo6gJQ4O2q7UZHTuyoBuCwzK7edvPPT7M8m1m
-----END PRIVATE KEY-----
`;
