internal import LockScreens

extension ControlID {
    /// The name as an attribute's value, from which ``WebForm`` reads the same bytes again.
    ///
    /// ``HTMLText`` changes invisible and combining characters. So all bytes are percent-encoded, except
    /// those of printable ASCII.
    var formValue: String {
        let (digits, reserved) = (Array("0123456789ABCDEF"), Array("%+".utf8))
        return rawValue.utf8.reduce(into: "") { text, byte in
            if (0x20...0x7E).contains(byte), !reserved.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
