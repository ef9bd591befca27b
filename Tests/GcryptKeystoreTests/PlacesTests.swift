import GcryptKeystore
import Testing

@Suite("Where an app's store lies")
struct PlacesTests {
    @Test("K-1: the XDG folders, or those in the home; a relative path counts as none")
    func places() {
        func places(_ environment: [String: String]) -> [String?] {
            let places = KeystorePlaces(app: "app", environment: environment)
            return [places.store, places.keyFile]
        }
        let home = ["/h/.local/share/app/default.keystore", "/h/.config/app/default.key"]
        #expect(places(["HOME": "/h"]) == home)
        #expect(places(["HOME": "/h", "XDG_DATA_HOME": "d", "XDG_CONFIG_HOME": ""]) == home)
        #expect(
            places(["HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"])
                == ["/d/app/default.keystore", "/c/app/default.key"]
        )
        #expect(places(["XDG_DATA_HOME": "/d"]) == ["/d/app/default.keystore", nil])
        #expect(places(["HOME": "h"]) == [nil, nil])
    }
}
